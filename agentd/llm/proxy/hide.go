package proxy

import (
	"bytes"
	"encoding/json"
	"io"
)

// maxHidden is how long a line may be that is looked at. A longer one is no piece that says what was used.
const maxHidden = 64 << 10

// hiding is a stream of events without the piece that says what was used, for a caller who did not ask for that. It holds back nothing
// but the line that is not whole yet.
type hiding struct {
	from io.Reader
	in   [4 << 10]byte
	line []byte // not whole yet
	out  []byte // not read yet
	long bool   // of the line its beginning has passed already
	gap  bool   // the line after a hidden one is empty, and hidden, too
	err  error
}

// Read implements io.Reader.
func (h *hiding) Read(p []byte) (int, error) {
	for len(h.out) == 0 {
		if h.err != nil {
			return 0, h.err
		}
		n, err := h.from.Read(h.in[:])
		h.out = h.out[:0]
		h.take(h.in[:n])
		if h.err = err; err != nil {
			h.out, h.line = append(h.out, h.line...), nil
		}
	}
	n := copy(p, h.out)
	h.out = h.out[n:]
	return n, nil
}

func (h *hiding) take(b []byte) {
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n') + 1
		if end == 0 {
			end = len(b)
		}
		h.line, b = append(h.line, b[:end]...), b[end:]
		switch whole := h.line[len(h.line)-1] == '\n'; {
		case !whole && len(h.line) > maxHidden:
			h.pass(true)
		case whole && (h.long || !h.hides()):
			h.pass(false)
		case whole:
			h.line = h.line[:0]
		}
	}
}

// pass lets the line go on as it is.
func (h *hiding) pass(long bool) {
	h.out, h.line, h.long = append(h.out, h.line...), h.line[:0], long
}

// hides says whether a whole line is hidden.
func (h *hiding) hides() bool {
	if h.gap {
		h.gap = false
		return len(bytes.TrimSpace(h.line)) == 0
	}
	data, ok := bytes.CutPrefix(h.line, []byte("data:"))
	h.gap = ok && usageAlone(data)
	return h.gap
}

// usageAlone says whether a piece says what was used and nothing else.
func usageAlone(data []byte) bool {
	if !bytes.Contains(data, []byte(`"usage"`)) {
		return false
	}
	var piece struct {
		Choices []json.RawMessage `json:"choices"`
		Usage   json.RawMessage   `json:"usage"`
	}
	return json.Unmarshal(data, &piece) == nil && len(piece.Choices) == 0 && len(piece.Usage) > 0 && piece.Usage[0] == '{'
}
