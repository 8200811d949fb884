#!/usr/bin/env bash
# The package for Debian and Ubuntu: `bin/packages/deb.sh TARBALL FOLDER`. It contains what npm installs from the
# tarball, the Node.js that runs this (Debian's is older), and the systemd unit from the manual. Files for other systems and
# processors are removed.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
tarball=$(realpath "$1")
folder=$(realpath "$2")

tree=$(mktemp -d)
trap 'rm -r "$tree"' EXIT
home=$tree/usr/lib/forensics
npm install --global --no-audit --no-fund --loglevel=error --prefix "$home" "$tarball" >/dev/null
program=$home/lib/node_modules/forensics
read -r version platform arch node < <(node -p "[require('$program/package.json').version, process.platform, process.arch, process.execPath].join(' ')")

find "$program/vendor/onnxruntime-node/bin" -mindepth 3 -maxdepth 3 ! -path "*/$platform/$arch" -exec rm -r {} +
find "$program/node_modules/better-sqlite3/prebuilds" -type f ! -name "*$platform-$arch*" -delete
rm -r "$program/node_modules/better-sqlite3/deps"
find "$program" \( -name '*.d.ts' -o -name '*.map' \) -type f -delete
strip --strip-unneeded -o "$home/bin/node" "$node"

install -D -m 755 /dev/stdin "$tree/usr/bin/forensics" <<END
#!/bin/sh
exec /usr/lib/forensics/bin/node /usr/lib/forensics/lib/node_modules/forensics/bin/forensics.js "\$@"
END
# A block of the manual by its name.
block() {
  sed -n "/^\`\`\`[a-z]* $1\$/,/^\`\`\`\$/{/^\`\`\`/!p}" "$root/src/manual/deployment.md"
}
block systemd | sed 's#/usr/local/bin/#/usr/bin/#' |
  install -D -m 644 /dev/stdin "$tree/lib/systemd/system/forensics.service"
install -D -m 644 /dev/stdin "$tree/etc/forensics.json" <<<'{ "dataDir": "/var/lib/forensics" }'
install -D -m 644 "$root/LICENSE" "$tree/usr/share/doc/forensics/copyright"

install -D -m 644 /dev/stdin "$tree/DEBIAN/control" <<END
Package: forensics
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: forensics <forensics@localhost>
Installed-Size: $(du -sk "$tree" | cut -f1)
Depends: libc6 (>= 2.31), libstdc++6, passwd
Section: graphics
Priority: optional
Description: image forensics on your own machine
 Tells whether a picture is real, fake, uncertain or cannot be judged, and writes reports and signed evidence.
END
echo /etc/forensics.json >"$tree/DEBIAN/conffiles"
install -m 755 /dev/stdin "$tree/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
getent passwd forensics >/dev/null ||
  useradd --system --home-dir /var/lib/forensics --shell /usr/sbin/nologin forensics
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
echo 'Start the server with "systemctl enable --now forensics", or examine a picture: forensics analyze photo.jpg'
END
# The data folder is kept even if the package is purged: it holds evidence.
install -m 755 /dev/stdin "$tree/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --now forensics; fi
END
dpkg-deb --root-owner-group -Zzstd -z9 --build "$tree" "$folder" >/dev/null
