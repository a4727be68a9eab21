package wire

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MaxBody is the largest frame in bytes that either end cuts into parts or joins.
const MaxBody = 8 << 20

// partData is how many bytes go into one part, so that with base64 and its envelope it stays below MaxFrame.
const partData = MaxFrame/4*3 - 3<<10

// maxJoining is how many frames may arrive in parts at the same time.
const maxJoining = 4

// ErrTooLarge says that a frame is larger than MaxBody; ErrParts that parts do not fit together.
var (
	ErrTooLarge = errors.New("frame is larger than MaxBody")
	ErrParts    = errors.New("parts do not fit together")
)

// Encode gives the messages that carry f: one, or several parts when f is larger than MaxFrame.
func Encode(f Frame) ([][]byte, error) {
	raw, err := f.bytes()
	if err != nil {
		return nil, fmt.Errorf("encode frame %s: %w", f.Type, err)
	}
	switch {
	case len(raw) <= MaxFrame:
		return [][]byte{raw}, nil
	case len(raw) > MaxBody:
		return nil, fmt.Errorf("encode frame %s of %d bytes: %w", f.Type, len(raw), ErrTooLarge)
	}
	return cut(f, raw)
}

func cut(f Frame, raw []byte) ([][]byte, error) {
	total := (len(raw) + partData - 1) / partData
	out := make([][]byte, 0, total)
	for i := range total {
		piece := raw[i*partData : min((i+1)*partData, len(raw))]
		body, err := json.Marshal(Part{Of: f.ID, Index: i, Total: total, Data: piece})
		if err != nil {
			return nil, fmt.Errorf("encode part: %w", err)
		}
		msg, err := json.Marshal(Frame{V: f.V, ID: f.ID, Type: TypePart, Time: f.Time, Body: body})
		if err != nil {
			return nil, fmt.Errorf("encode part: %w", err)
		}
		out = append(out, msg)
	}
	return out, nil
}

// Joiner puts frames that came in parts together again. It belongs to one connection: what is unfinished when the
// connection ends is sent again whole.
type Joiner struct{ open map[string][]byte }

// Decode reads one message, whose memory the frame may share. ok is false while parts of the frame are still to come.
func (j *Joiner) Decode(msg []byte) (f Frame, ok bool, err error) {
	if f, err = frameOf(msg); err != nil {
		return Frame{}, false, fmt.Errorf("decode frame: %w", err)
	}
	if f.Type != TypePart {
		return f, true, nil
	}
	whole, err := j.add(f)
	if err != nil || whole == nil {
		return Frame{}, false, err
	}
	joined, err := frameOf(whole)
	if err != nil {
		return Frame{}, false, fmt.Errorf("decode joined frame: %w", err)
	}
	if joined.Type == TypePart || joined.ID != f.ID {
		return Frame{}, false, ErrParts
	}
	return joined, true, nil
}

// add keeps a part; it returns the whole when the last one is there. Parts of one frame come in order.
func (j *Joiner) add(f Frame) ([]byte, error) {
	var p Part
	if err := json.Unmarshal(f.Body, &p); err != nil {
		return nil, fmt.Errorf("decode part: %w", err)
	}
	if j.open == nil {
		j.open = map[string][]byte{}
	}
	have, known := j.open[p.Of]
	inOrder := p.Index >= 0 && p.Index < p.Total && len(have) == p.Index*partData && known == (p.Index > 0)
	fits := len(have)+len(p.Data) <= MaxBody && (known || len(j.open) < maxJoining)
	if p.Of != f.ID || !inOrder || !fits {
		return nil, ErrParts
	}
	have = append(have, p.Data...)
	if p.Index < p.Total-1 {
		j.open[p.Of] = have
		return nil, nil
	}
	delete(j.open, p.Of)
	return have, nil
}
