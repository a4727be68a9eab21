package scrub

import (
	"encoding/binary"
	"hash/maphash"
)

// whole says whether the seam between two rows of texts was looked at before and had nothing across it.
func (m *memory) whole(key digest) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.seams.get(key, func(struct{}) int { return 0 })
	return ok
}

func (m *memory) keepWhole(key digest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seams.put(key, struct{}{}, 0)
}

// seamKey is the digest of the ids on both sides of a seam. It is none when one of the texts has no id.
func seamKey(scratch []byte, before, after []*leaf) (key digest, buf []byte, ok bool) {
	buf = binary.LittleEndian.AppendUint64(scratch[:0], uint64(len(before)))
	for _, side := range [][]*leaf{before, after} {
		for _, l := range side {
			if l.id == 0 {
				return key, buf, false
			}
			buf = binary.LittleEndian.AppendUint64(buf, l.id)
		}
	}
	return digest{maphash.Bytes(seeds[0], buf), maphash.Bytes(seeds[1], buf), len(buf)}, buf, true
}
