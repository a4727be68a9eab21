package static

import (
	"bytes"
	"compress/gzip"
	"io"

	"github.com/andybalholm/brotli"
)

// packed holds the compressed forms of an asset.
type packed struct{ br, gz []byte }

func pack(body []byte) packed {
	return packed{
		br: squeeze(body, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotli.BestCompression) }),
		gz: squeeze(body, func(w io.Writer) io.WriteCloser {
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // fails on an unknown level only
			return z
		}),
	}
}

// squeeze compresses into memory, where writing cannot fail.
func squeeze(body []byte, to func(io.Writer) io.WriteCloser) []byte {
	var b bytes.Buffer
	w := to(&b)
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}
