package static

import (
	"bytes"
	"compress/gzip"
	"io"

	"github.com/andybalholm/brotli"
)

// packed holds the compressed forms of an asset.
type packed struct{ br, gz []byte }

// pack takes the usual level of brotli: the best one takes the start of a hub a second of processor time for 4 KB in all.
func pack(body []byte) packed {
	return packed{
		br: squeeze(body, func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }),
		gz: squeeze(body, func(w io.Writer) io.WriteCloser {
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // fails on an unknown level only
			return z
		}),
	}
}

// quick is a level of brotli that costs a page a fraction of a millisecond.
const quick = 4

// Compress packs a page in the smallest form that a browser takes, by its Accept-Encoding. coding is what to say as
// Content-Encoding; it is empty when the browser takes none, and then the body is as it was.
//
// Never compress what holds a secret beside what its reader chose: the length of the answer would tell of the secret (BREACH).
func Compress(body []byte, accept string) (out []byte, coding string) {
	switch {
	case takes(accept, "br"):
		return squeeze(body, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, quick) }), "br"
	case takes(accept, "gzip"):
		return squeeze(body, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }), "gzip"
	}
	return body, ""
}

// squeeze compresses into memory, where writing cannot fail.
func squeeze(body []byte, to func(io.Writer) io.WriteCloser) []byte {
	var b bytes.Buffer
	w := to(&b)
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}
