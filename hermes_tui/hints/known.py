"""Names that tell a path from two words with a slash: endings of files, roots, folders, and what only looks so."""

from __future__ import annotations

from typing import Final


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Endings that make a bare word a file name.
ENDINGS: Final = _names("""
    py pyi pyx pyc ipynb js mjs cjs jsx ts mts cts tsx vue svelte astro c cc cpp cxx h hh hpp hxx cs fs go rs rb erb php
    java kt kts scala clj cljs ex exs erl hs ml mli lua pl pm swift dart zig nim jl sol proto thrift graphql gql sql
    sh bash zsh fish ps1 psm1 bat awk el vim tcl asm wat wasm
    html htm xhtml css scss sass less xml xsd xsl svg json jsonl ndjson json5 jsonc yaml yml toml ini conf properties
    csv tsv parquet avro xlsx xls ods docx odt pptx odp pdf epub rtf md mdx rst adoc tex bib org txt log diff patch
    png jpg jpeg gif webp bmp ico tiff tif heic avif psd ai eps mp3 mp4 m4a wav ogg flac mkv mov avi webm srt vtt
    zip tar gz tgz bz2 xz zst 7z rar jar war apk ipa dmg iso deb rpm whl egg exe dll so dylib lib obj msi
    db sqlite sqlite3 lock env tf tfvars hcl nix cmake gradle bzl mk spec service socket timer plist desktop
    pem crt cer csr pub asc gpg p12 pfx kdbx woff woff2 ttf otf eot po pot mo bak orig rej swp tmp pid sock tcss
    """)
# Endings that need a folder before them: `console.log`, `System.out` and `self.key` are no files.
FOLDED_ENDINGS: Final = ENDINGS | _names(
    "r m d s o a in out err map key data bin dat cfg config cmd com app doc dot test mod sum rules tmpl tpl j2 target "
    "local example sample dist min user mount path raw img qcow2 core dump cache index pack idx old new gitignore "
    "dockerignore editorconfig npmrc bashrc zshrc profile vimrc gitconfig gitattributes gitmodules"
)
# `user.env`, `self.lib`: too often an attribute, so a folder is asked for.
NEVER_BARE: Final = _names("service socket timer env spec ai lib obj pub po mo org el")
# What stands before the full stop of an attribute: `console.log`, `threading.lock`.
OWNERS: Final = _names(
    "self this cls args ctx console process os sys re np pd df res req math cmath torch logger jnp tf window threading "
    "asyncio"
)
PRODUCTS: Final = _names(
    "node.js vue.js next.js react.js express.js three.js d3.js nuxt.js chart.js ember.js backbone.js discord.js "
    "asp.net vb.net moment.js p5.js alpine.js solid.js type.js angular.js deno.js bun.js preact.js"
)
FILES: Final = _names(
    "Makefile makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Gemfile Rakefile Procfile Vagrantfile Justfile "
    "justfile Brewfile Pipfile Caddyfile Tiltfile PKGBUILD"
)
FOLDED_FILES: Final = FILES | _names("LICENSE README CHANGELOG NOTICE COPYING AUTHORS VERSION HEAD CODEOWNERS")
DOTFILES: Final = _names(
    ".env .envrc .gitignore .gitattributes .gitmodules .gitconfig .dockerignore .editorconfig .npmrc .nvmrc .bashrc "
    ".bash_profile .bash_history .zshrc .zshenv .profile .vimrc .inputrc .tmux.conf .eslintrc .prettierrc .babelrc "
    ".flake8 .pylintrc .coveragerc .netrc .pypirc .htaccess .python-version .tool-versions .DS_Store .hushlogin"
)
ROOTS: Final = _names(
    "etc tmp home usr var opt root mnt srv dev proc sys bin sbin lib lib64 media run boot Users Applications Library "
    "Volumes System private nix snap data app workspace workspaces"
)
# A folder of this name makes two words with a slash a path.
FOLDERS: Final = _names(
    "src lib bin tests node_modules packages scripts cmd internal pkg include vendor dist .git .github .venv venv "
    "site-packages usr etc var public static assets components __pycache__ .vscode .config .ssh .local .cache target "
    "migrations fixtures templates screenshots"
)
# These only do so for three words: "build/test" is said of pipelines.
LOOSE_FOLDERS: Final = FOLDERS | _names("app apps docs test build public core api web server client config etc")
MEDIA: Final = _names("application audio font image message model multipart text video")
HOSTS: Final = _names(
    "com org net io dev ai edu gov co app sh me info xyz cloud tech test example localhost de uk fr jp cn ru eu us nl "
    "ch at se no fi it es pl br in au ca kr tw"
)
PICTURES: Final = _names("png jpg jpeg gif webp svg ico bmp avif pdf css js py ts md json txt html")


def ending(name: str) -> str:
    """What stands behind the last full stop of a file's name, in small letters; "" where it is no ending.

    `done.Go` has none: an ending is written in one case.
    """
    stem, _, last = name.rpartition(".")
    if not stem or not last or len(last) > 12 or not (last.islower() or last.isupper() or last.isdigit()):
        return ""
    return last.lower()
