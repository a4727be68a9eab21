package redact

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"
)

// Texts returns the parts of one conversation without their secrets, in order. Each part is scanned once and remembered by
// its hash, so a call costs what is new in it. A secret that was cut in two or more neighbouring parts is taken out of
// each of them.
func (e *Engine) Texts(parts []string) []string {
	out, err := e.CheckTexts(parts)
	if err == nil {
		return out
	}
	out = make([]string, len(parts))
	for i, p := range parts {
		if p != "" {
			out[i] = unscanned
		}
	}
	return out
}

// CheckTexts is Texts for callers that would rather stop than send marks in place of whole texts.
func (e *Engine) CheckTexts(parts []string) ([]string, error) {
	s := e.state.Load()
	out, all := make([]string, len(parts)), make([][]span, len(parts))
	for i, p := range parts {
		spans, clean, err := e.part(s, p)
		if err != nil {
			return nil, err
		}
		out[i], all[i] = clean, spans
	}
	cut, err := e.seams(s, parts)
	if err != nil {
		return nil, err
	}
	for i, extra := range cut {
		text := []byte(parts[i])
		spans := s.settle(text, s.marksIn(text), append(slices.Clone(all[i]), extra...))
		out[i] = e.rewrite(s, parts[i], spans)
	}
	return out, nil
}

// part scans one part, or remembers it.
func (e *Engine) part(s *state, text string) ([]span, string, error) {
	if text == "" {
		return nil, "", nil
	}
	id := e.cache.key(s.gen, text)
	if r, ok := e.cache.get(id); ok {
		if r.spans == nil {
			return nil, text, nil
		}
		return r.spans, r.clean, nil
	}
	spans, err := s.scanString(text, full)
	if err != nil {
		return nil, "", err
	}
	r := remembered{spans: spans}
	if spans != nil {
		r.clean = e.rewrite(s, text, spans)
	}
	e.cache.put(id, r)
	if spans == nil {
		return nil, text, nil
	}
	return spans, r.clean, nil
}

// seams scans the borders of neighbouring parts and gives what crosses them, by part.
func (e *Engine) seams(s *state, parts []string) (map[int][]span, error) {
	reach := min(max(512, 8*s.reg.longest), 16<<10) // escapes take six bytes for one
	var cut map[int][]span
	var buf []byte
	for i := 0; i+1 < len(parts); i++ {
		from, to := stretch(parts, i, reach)
		buf = from.join(buf[:0], parts, to)
		spans, err := e.seam(s, buf)
		if err != nil {
			return nil, err
		}
		for _, f := range spans {
			if cut == nil {
				cut = map[int][]span{}
			}
			share(cut, parts, from, f)
		}
	}
	return cut, nil
}

// place is an offset in a part.
type place struct{ part, at int }

// stretch is from reach bytes before the end of part i to reach bytes behind it.
func stretch(parts []string, i, reach int) (from, to place) {
	left := reach
	from = place{i, 0}
	for from.part = i; from.part > 0 && len(parts[from.part]) < left; from.part-- {
		left -= len(parts[from.part])
	}
	from.at = max(0, len(parts[from.part])-left)
	left = reach
	for to.part = i + 1; to.part < len(parts)-1 && len(parts[to.part]) < left; to.part++ {
		left -= len(parts[to.part])
	}
	to.at = min(left, len(parts[to.part]))
	return from, to
}

func (p place) join(buf []byte, parts []string, to place) []byte {
	for i := p.part; i <= to.part; i++ {
		text := parts[i]
		if i == to.part {
			text = text[:to.at]
		}
		if i == p.part {
			text = text[min(p.at, len(text)):]
		}
		buf = append(buf, text...)
	}
	return buf
}

// seam scans joined text for known secrets and the forms of credentials, or remembers it.
func (e *Engine) seam(s *state, text []byte) ([]span, error) {
	id := e.cache.keyBytes(s.gen|1<<63, text)
	if r, ok := e.cache.get(id); ok {
		return r.spans, nil
	}
	spans, err := s.scan(text, formed)
	if err != nil {
		return nil, err
	}
	e.cache.put(id, remembered{spans: spans})
	return spans, nil
}

// share gives each part its piece of a finding that crosses a border.
func share(cut map[int][]span, parts []string, from place, f span) {
	at := -from.at // where the part begins in the joined text
	var pieces []span
	var owners []int
	for i := from.part; i < len(parts) && at < f.end; i++ {
		end := at + len(parts[i])
		if lo, hi := max(f.start, at), min(f.end, end); lo < hi {
			piece := f
			piece.start, piece.end = lo-at, hi-at
			pieces, owners = append(pieces, piece), append(owners, i)
		}
		at = end
	}
	if len(pieces) < 2 {
		return // it is whole in one part, where it was found already
	}
	for k, i := range owners {
		cut[i] = append(cut[i], pieces[k])
	}
}

// cache remembers what was found in texts, by their hash. It forgets what was not used for long.
type cache struct {
	seed     [2]maphash.Seed // no one outside knows them, so no one can make two texts meet
	mu       sync.Mutex
	now, old map[cacheKey]remembered
	size     int
}

type cacheKey [3]uint64

type remembered struct {
	spans []span
	clean string
}

// maxCache is how many bytes half of a cache holds.
const maxCache = 16 << 20

func newCache() *cache {
	return &cache{seed: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, now: map[cacheKey]remembered{}}
}

func (c *cache) key(gen uint64, text string) cacheKey {
	return cacheKey{maphash.String(c.seed[0], text), maphash.String(c.seed[1], text), gen ^ uint64(len(text))<<20}
}

func (c *cache) keyBytes(gen uint64, text []byte) cacheKey {
	return cacheKey{maphash.Bytes(c.seed[0], text), maphash.Bytes(c.seed[1], text), gen ^ uint64(len(text))<<20}
}

func (c *cache) get(k cacheKey) (remembered, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.now[k]; ok {
		return r, true
	}
	r, ok := c.old[k]
	if ok {
		c.keep(k, r)
	}
	return r, ok
}

func (c *cache) put(k cacheKey, r remembered) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(k, r)
}

func (c *cache) keep(k cacheKey, r remembered) {
	if c.size > maxCache {
		c.old, c.now, c.size = c.now, map[cacheKey]remembered{}, 0
	}
	c.now[k] = r
	c.size += binary.Size(k) + len(r.clean) + 64*len(r.spans) + 64
}
