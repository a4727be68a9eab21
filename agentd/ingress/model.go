package ingress

import (
	_ "embed" // the model
	"encoding/binary"
	"math"
	"sync"
)

//go:generate go run ./train -write

// Model is a linear model of what an order to the reader's machine looks like. It is made by agentd/ingress/train.
type Model struct {
	Scale, Bias float32
	Weights     [1 << cueBits]int8
}

//go:embed model.bin
var modelFile []byte

// model reads the model on first use, as the index of the lexicon is built.
var model = sync.OnceValue(func() *Model { return readModel(modelFile) })

// readModel reads a model as Bytes writes it; anything else is a mistake of the build.
func readModel(b []byte) *Model {
	var m Model
	if len(b) != 8+len(m.Weights) {
		panic("ingress: model.bin has the wrong size; run go generate ./agentd/ingress")
	}
	m.Scale = math.Float32frombits(binary.LittleEndian.Uint32(b))
	m.Bias = math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))
	for i, w := range b[8:] {
		m.Weights[i] = int8(w)
	}
	return &m
}

// Bytes is the model as a file.
func (m *Model) Bytes() []byte {
	b := binary.LittleEndian.AppendUint32(nil, math.Float32bits(m.Scale))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(m.Bias))
	for _, w := range m.Weights {
		b = append(b, byte(w))
	}
	return b
}

// Score is above 0 for what is more like an attack than not, and about 1 for the plain cases.
func (m *Model) Score(cues []uint32) float64 {
	if len(cues) == 0 {
		return -1
	}
	sum := int32(0)
	for _, c := range cues {
		sum += int32(m.Weights[c])
	}
	return float64(m.Scale)*float64(sum)*Unit(len(cues)) + float64(m.Bias)
}

// fewest is how many cues a window must have to speak with full voice: a word or two prove nothing.
const fewest = 20

// Unit is what a cue weighs in a window of n cues.
func Unit(n int) float64 { return 1 / math.Sqrt(float64(max(n, fewest))) }

// judge finds the window that is most like an attack: its score and its place.
func (m *Model) judge(r reading) (best float64, at window) {
	best = -1
	c := r.collector()
	for _, w := range windows(r.words) {
		if s := m.Score(c.window(w)); s > best {
			best, at = s, w
		}
	}
	return best - tries(len(c.words)), at
}

// tries is what a long text must show more than a short one: among many windows some look odd by chance.
func tries(words int) float64 {
	return 0.18 * math.Log2(math.Max(1, float64(words)/80))
}
