package slate

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
)

// Line is for whom a call is and whom it asks.
type Line struct{ Agent, Parent, Model, Profile, Key string }

// Run names the task that a call is for; of zeros: none.
type Run [16]byte

// Tokens are an amount that may be used.
type Tokens struct{ Input, Output int64 }

func (t Tokens) plus(o Tokens) Tokens  { return Tokens{t.Input + o.Input, t.Output + o.Output} }
func (t Tokens) minus(o Tokens) Tokens { return Tokens{t.Input - o.Input, t.Output - o.Output} }
func (t Tokens) within(o Tokens) bool  { return t.Input <= o.Input && t.Output <= o.Output }

// Used is what a call has used as far as that is known.
type Used struct {
	Input, Output, CacheRead, CacheWrite int64
	EstInput, EstOutput                  int64 // the parts of Input and Output that were estimated
	Estimated                            bool  // the answer has not said all of it
}

// Call is a call that was found.
type Call struct {
	ID   int64 // never given out twice
	Line Line
	Run  Run
	Most Tokens
	Used Used
	Seen time.Time // when it was written last

	block int64
}

// Lost is what a line had reserved beyond the calls of it that were found, on a machine that has crashed since.
type Lost struct {
	ID     int64 // of the block; never given out twice
	Line   Line
	Tokens Tokens
}

// The form of the file. A call and a line lie within one page each.
const (
	headSize = 4096
	lineSize = 1024
	callSize = 128
	maxLines = 256
	maxCalls = 1024
	callsAt  = headSize + maxLines*lineSize
	fileSize = callsAt + maxCalls*callSize
)

const magic = "gatehouse calls 1\n"

// ErrTooLong says that the names of a line do not fit into the file.
var ErrTooLong = errors.New("slate: the names of agent, model and account are too long")

var sums = crc32.MakeTable(crc32.Castagnoli)

// sealed puts a checksum into the first four bytes. A record of zeros is free.
func sealed(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], sums))
	return b
}

func whole(b []byte) bool { return binary.LittleEndian.Uint32(b) == crc32.Checksum(b[4:], sums) }

// block is a line with what is reserved for it.
type block struct {
	id     int64
	line   Line
	tokens Tokens
}

func (k block) bytes() ([]byte, error) {
	b := make([]byte, 32, lineSize)
	for i, n := range []int64{k.id, k.tokens.Input, k.tokens.Output} {
		binary.LittleEndian.PutUint64(b[8+8*i:], uint64(n)) //nolint:gosec // read back the same way
	}
	for _, s := range []string{k.line.Agent, k.line.Parent, k.line.Model, k.line.Profile, k.line.Key} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	if len(b) > lineSize {
		return nil, ErrTooLong
	}
	return sealed(b[:lineSize]), nil
}

// blockOf reads a line; ok is false for one that is free or damaged.
func blockOf(b []byte) (k block, ok bool) {
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8+8*i:])) } //nolint:gosec // as it was written
	k.id, k.tokens = at(0), Tokens{at(1), at(2)}
	if k.id == 0 || !whole(b) {
		return block{}, false
	}
	rest := b[32:]
	for _, s := range []*string{&k.line.Agent, &k.line.Parent, &k.line.Model, &k.line.Profile, &k.line.Key} {
		n, took := binary.Uvarint(rest)
		if took <= 0 || n > uint64(len(rest)-took) {
			return block{}, false
		}
		*s, rest = string(rest[took:took+int(n)]), rest[took+int(n):] //nolint:gosec // not more than a record holds
	}
	return k, true
}

// entry is a call as the file has it.
type entry struct {
	id, block int64 // block is the id of its line's block
	most      Tokens
	used      Used
	seen      int64 // Unix seconds
	run       Run
}

// runAt is where an entry has its run: behind its twelve numbers, where files of former versions have zeros.
const runAt = 8 + 8*12

// put writes an entry into a buffer of callSize.
func (e entry) put(b []byte) []byte {
	clear(b)
	estimated := int64(0)
	if e.used.Estimated {
		estimated = 1
	}
	for i, n := range []int64{
		e.id, e.block, e.most.Input, e.most.Output, e.seen, estimated,
		e.used.Input, e.used.Output, e.used.CacheRead, e.used.CacheWrite, e.used.EstInput, e.used.EstOutput,
	} {
		binary.LittleEndian.PutUint64(b[8+8*i:], uint64(n)) //nolint:gosec // read back the same way
	}
	copy(b[runAt:], e.run[:])
	return sealed(b)
}

func entryOf(b []byte) (e entry, ok bool) {
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8+8*i:])) } //nolint:gosec // as it was written
	e = entry{id: at(0), block: at(1), most: Tokens{at(2), at(3)}, seen: at(4), used: Used{
		Estimated: at(5) != 0, Input: at(6), Output: at(7), CacheRead: at(8), CacheWrite: at(9), EstInput: at(10), EstOutput: at(11),
	}}
	copy(e.run[:], b[runAt:])
	return e, e.id != 0 && whole(b)
}
