#!/bin/sh
# keys.sh DIR NAME...: makes in DIR an authority, a certificate for stores of these names or addresses, which workers show, too, and a token.
set -eu
[ $# -ge 2 ] || { echo "usage: keys.sh DIR NAME..." >&2; exit 2; }
dir=$1
shift
names=
for name; do
	case $name in
	*[!0-9.]*) names=$names,DNS:$name ;;
	*) names=$names,IP:$name ;;
	esac
done
umask 077
mkdir -p "$dir" "$dir.authority"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj "/CN=macemc authority" \
	-keyout "$dir.authority/ca.key" -out "$dir/ca.pem" 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=macemc" -addext "subjectAltName=${names#,}" \
	-addext "extendedKeyUsage=serverAuth,clientAuth" -keyout "$dir/cert.key" -out "$dir.authority/request.pem" 2>/dev/null
openssl x509 -req -in "$dir.authority/request.pem" -CA "$dir/ca.pem" -CAkey "$dir.authority/ca.key" -days 365 -copy_extensions copyall \
	-out "$dir/cert.pem" 2>/dev/null
openssl rand -hex 32 >"$dir/token"
echo "$dir is for all processes; $dir.authority, for the next certificates, is for none of them"
