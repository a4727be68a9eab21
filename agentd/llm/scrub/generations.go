package scrub

import "hash/maphash"

// digest stands for a text, or for a row of texts, as long as this process lives.
type digest struct {
	a, b uint64
	n    int
}

// seeds make digests. Nobody outside knows them and no digest is ever shown, so nobody can make two texts meet.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func digestOf(text string) digest {
	return digest{maphash.String(seeds[0], text), maphash.String(seeds[1], text), len(text)}
}

// generations is a memory that forgets: when the young generation is full it becomes the old one, and what nobody asked
// for since is gone.
type generations[V any] struct {
	young, old map[digest]V
	size, most int // of the young one, in bytes
}

func newGenerations[V any](most int) generations[V] {
	return generations[V]{young: map[digest]V{}, most: most}
}

// get finds what was put; size is what it takes when it has to be kept on.
func (g *generations[V]) get(key digest, size func(V) int) (V, bool) {
	if v, ok := g.young[key]; ok {
		return v, true
	}
	v, ok := g.old[key]
	if ok {
		g.put(key, v, size(v))
	}
	return v, ok
}

func (g *generations[V]) put(key digest, v V, size int) {
	if g.size > g.most {
		g.old, g.young, g.size = g.young, map[digest]V{}, 0
	}
	g.young[key] = v
	g.size += perEntry + size
}
