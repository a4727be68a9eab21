package inside

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// unpackers print what is packed with gzip.
var unpackers = []string{"gzip", "gunzip", "zcat"}

// endings are what gzip puts behind a name when there is no file without.
var endings = []string{"", ".gz", ".z", ".taz", ".tgz", "-gz", "-z", "_z", ".Z"}

func unpacks(programs []string) bool {
	return slices.ContainsFunc(programs, func(p string) bool { return slices.Contains(unpackers, p) })
}

// unpacked looks into the packed files that a command names: the name that they were packed under tells what they hold.
func (r *runner) unpacked(argv, programs []string) error {
	if !unpacks(programs) || lists(argv, programs) {
		return nil
	}
	for _, w := range argv[1:] {
		for _, e := range endings {
			if p := r.abs(w + e); strings.HasPrefix(p, r.env.Root+"/") {
				if err := r.holds(p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// lists says whether gzip tells only how much is packed, which it does whatever else it is told.
func lists(argv, programs []string) bool {
	return len(programs) == 1 && !slices.Contains(argv, "--") && (slices.Contains(argv, "-l") || slices.Contains(argv, "--list"))
}

// holds says whether a packed file may be unpacked.
func (r *runner) holds(file string) error {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil //nolint:nilerr // what cannot be opened cannot be unpacked by the command either
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	name, archive, err := packedAs(f)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", filepath.Base(file), err)
	}
	if archive {
		return fmt.Errorf("%s holds an archive of files. List it with tar -t, and name the files that you need", filepath.Base(file))
	}
	if why := r.protected(filepath.Join(filepath.Dir(file), filepath.Base(name))); name != "" && why != "" {
		return fmt.Errorf("%s holds a file named %s. %s", filepath.Base(file), filepath.Base(name), why)
	}
	return nil
}

// zipHead is where the name begins in the head of the first file of a zip archive, which gzip unpacks, too.
const zipHead = 30

// packedAs gives the name under which the first file in f was packed, empty when it says none, and whether an archive is
// packed in it. What is not packed is no business of this.
func packedAs(f io.ReadSeeker) (name string, archive bool, err error) {
	head := make([]byte, zipHead)
	if n, err := io.ReadFull(f, head); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			head = head[:n]
		} else {
			return "", false, err
		}
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) && len(head) == zipHead {
		long := make([]byte, binary.LittleEndian.Uint16(head[26:]))
		_, err := io.ReadFull(f, long)
		return string(long), false, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", false, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", false, nil //nolint:nilerr // not packed, or not in a way that can be unpacked
	}
	_, err = tar.NewReader(z).Next()
	return z.Name, err == nil, nil
}
