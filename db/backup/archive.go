package backup

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"time"

	"filippo.io/age"

	"gatehouse/db"
)

// Errors that callers tell apart. The file is left as it is.
var (
	ErrDamaged = errors.New("the backup is damaged")
	ErrLocked  = errors.New("the key that was given does not open this backup")
)

// Manifest says what a backup holds.
type Manifest struct {
	Format     int              `json:"format"` // of the archive
	Made       time.Time        `json:"made"`   // UTC
	Program    string           `json:"program"`
	Postgres   string           `json:"postgres"` // version of the server
	Migrations []db.Migration   `json:"migrations"`
	Queue      int              `json:"queue"` // version of the queue's tables
	Rows       map[string]int64 `json:"rows"`  // of each table, in the same moment as the data
}

// Total is the number of all rows.
func (m Manifest) Total() (n int64) {
	for _, rows := range m.Rows {
		n += rows
	}
	return n
}

// end is the last entry: an archive without it is cut.
type end struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of all pieces of the dump, hex
}

const (
	format       = 1
	manifestName = "manifest.json"
	keyName      = "secret.key"
	piecePrefix  = "database.dump/"
	endName      = "end.json"
	pieceSize    = 4 << 20
	maxSmall     = 4 << 20 // of a manifest
)

// packer writes an archive.
type packer struct {
	tar  *tar.Writer
	made time.Time
}

func (p *packer) add(name string, body []byte) error {
	h := &tar.Header{Name: name, Mode: 0o600, Size: int64(len(body)), ModTime: p.made, Format: tar.FormatPAX}
	if err := p.tar.WriteHeader(h); err != nil {
		return err
	}
	_, err := p.tar.Write(body)
	return err
}

func (p *packer) addJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return p.add(name, append(b, '\n'))
}

// addDump adds all that r gives, in pieces, and the end.
func (p *packer) addDump(r io.Reader) error {
	sum, buf, e := sha256.New(), make([]byte, pieceSize), end{}
	for i := 1; ; i++ {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			sum.Write(buf[:n])
			e.Bytes += int64(n)
			if err := p.add(fmt.Sprintf("%s%08d", piecePrefix, i), buf[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	e.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return p.addJSON(endName, e)
}

// contents are what an archive holds besides the dump.
type contents struct {
	Manifest
	key []byte
}

// open reads an archive to its end and gives the dump to w. Nothing of it may be relied on before it has returned.
func open(path string, identities []age.Identity, w io.Writer) (contents, error) {
	f, err := os.Open(path)
	if err != nil {
		return contents{}, err
	}
	defer func() { _ = f.Close() }() // read only
	plain, err := age.Decrypt(f, identities...)
	var none *age.NoIdentityMatchError
	switch {
	case errors.As(err, &none):
		return contents{}, ErrLocked
	case err != nil:
		return contents{}, fmt.Errorf("%w: it does not begin as a backup does: %w", ErrDamaged, err)
	}
	u := unpacker{tar: tar.NewReader(plain), dump: w, sum: sha256.New()}
	for u.end == nil {
		if err := u.entry(); err != nil {
			return contents{}, err
		}
	}
	// What follows is padding. age says only at its end whether something was cut off.
	if _, err := io.Copy(io.Discard, plain); err != nil {
		return contents{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return u.contents, u.whole()
}

type unpacker struct {
	contents
	tar   *tar.Reader
	dump  io.Writer
	bytes int64
	sum   hash.Hash // of the pieces so far
	end   *end
}

func (u *unpacker) entry() error {
	h, err := u.tar.Next()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	switch {
	case h.Name == manifestName:
		return u.json(&u.Manifest)
	case h.Name == keyName:
		u.key, err = u.small()
		return err
	case strings.HasPrefix(h.Name, piecePrefix):
		return u.piece()
	case h.Name == endName:
		u.end = &end{}
		return u.json(u.end)
	}
	return fmt.Errorf("%w: it holds %q, which is no part of a backup", ErrDamaged, h.Name)
}

func (u *unpacker) small() ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(u.tar, maxSmall))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return b, nil
}

func (u *unpacker) json(v any) error {
	b, err := u.small()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

func (u *unpacker) piece() error {
	b, err := io.ReadAll(io.LimitReader(u.tar, pieceSize+1))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	_, _ = u.sum.Write(b) // a hash takes everything
	u.bytes += int64(len(b))
	_, err = u.dump.Write(b)
	return err
}

// whole compares the dump with what its end says.
func (u *unpacker) whole() error {
	switch {
	case u.Format != format:
		return fmt.Errorf("the backup has format %d, this program reads %d: use the newer program", u.Format, format)
	case u.bytes != u.end.Bytes || hex.EncodeToString(u.sum.Sum(nil)) != u.end.SHA256:
		return fmt.Errorf("%w: the dump is not the one that was taken", ErrDamaged)
	}
	return nil
}
