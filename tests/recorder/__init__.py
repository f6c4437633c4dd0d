"""What the recorder promises, checked on the files it writes."""
