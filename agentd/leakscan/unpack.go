package leakscan

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
)

// unpacked is the most that one packed piece may grow to.
const unpacked = 64 << 20

// gzips unpacks every piece that begins as gzip does. A piece cut short gives what could be read.
func gzips(b []byte) [][]byte {
	return each(b, []byte{0x1f, 0x8b, 0x08}, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) })
}

// zlibs unpacks every piece that begins as zlib does, in its three usual strengths.
func zlibs(b []byte) (all [][]byte) {
	for _, level := range []byte{0x01, 0x9c, 0xda} {
		all = append(all, each(b, []byte{0x78, level}, func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) })...)
	}
	return all
}

func each(b, magic []byte, open func(io.Reader) (io.Reader, error)) (all [][]byte) {
	for at := bytes.Index(b, magic); at >= 0; {
		if r, err := open(bytes.NewReader(b[at:])); err == nil {
			var out bytes.Buffer
			_, _ = io.Copy(&out, io.LimitReader(r, unpacked)) // an error ends the piece: what came before it counts
			all = append(all, out.Bytes())
		}
		next := bytes.Index(b[at+1:], magic)
		if next < 0 {
			return all
		}
		at += 1 + next
	}
	return all
}

// zips unpacks archives, and with them office documents.
func zips(b []byte) (all [][]byte) {
	if !bytes.Contains(b, []byte("PK\x05\x06")) {
		return nil
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			continue
		}
		var out bytes.Buffer
		_, _ = io.Copy(&out, io.LimitReader(r, unpacked))
		r.Close()
		all = append(all, []byte(f.Name+"\n"+f.Comment), out.Bytes())
	}
	return all
}
