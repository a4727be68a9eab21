package target

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pkg/sftp"
)

// placeUpload moves an uploaded file to its place, as root's own, if it came whole.
const placeUpload = `set -euo pipefail
trap 'rm -f -- "$from"' EXIT
echo "$sum  $from" | sha256sum --check --quiet --status
install -D --mode "$mode" -- "$from" "$to.part"
mv -f -- "$to.part" "$to"
`

// Upload puts the local file at from to the machine, as root's own with that mode such as "0755", unless it is there already
// with the same contents. A broken upload leaves what was at to.
func (c *Conn) Upload(ctx context.Context, from, to, mode string) error {
	sum, err := Sum(from)
	if err != nil {
		return err
	}
	there, err := c.Output(ctx, `sha256sum -- "$path" 2>/dev/null || true`, map[string]string{"path": to})
	if err != nil {
		return fmt.Errorf("upload %s: %w", to, err)
	}
	if len(there) == 1 && strings.HasPrefix(there[0], sum+" ") {
		return nil
	}
	part := "gatehouse-upload-" + rand.Text() // in the home of who signed in
	if err := c.send(ctx, from, part); err != nil {
		return fmt.Errorf("upload %s: %w", to, err)
	}
	vars := map[string]string{"from": part, "to": to, "sum": sum, "mode": mode}
	if _, err := c.Output(ctx, placeUpload, vars); err != nil {
		return fmt.Errorf("upload %s: %w", to, err)
	}
	return nil
}

func (c *Conn) send(ctx context.Context, from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	files, err := sftp.NewClient(c.client)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer func() { _ = files.Close() }() // the file in it was closed
	over := context.AfterFunc(ctx, func() { _ = files.Close() })
	defer over()
	out, err := files.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(f)
	if err := errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, files.Remove(to))
	}
	return nil
}

// Sum is the SHA-256 of a local file, in hex.
func Sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("checksum: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("checksum of %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
