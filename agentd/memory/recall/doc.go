// Package recall finds what was written down: an index of short texts in SQLite, asked by words (BM25 of FTS5) and by hashed
// vectors of the letters, which also find what is misspelt, joined or inflected. The two are joined by weights, weighed by age
// and trust, and put in an order in which nothing is said twice. Where a model has said what texts mean (meaning.go, meant.go), its
// vectors take the place of the hashed ones for those texts; vectors of two models are never compared.
//
// A search is done in two steps: rough ones propose texts, of which a few bytes are in memory (shelf.go, block.go), and what they
// propose is read and compared word by word (hits.go).
//
// The index is made of files and can be made anew from them: it holds nothing that is nowhere else.
//
// Change here: how texts are folded, compared and ranked. Not here: what notes are, where they stand, who may read them
// (agentd/memory).
// May import: the standard library, golang.org/x/text, modernc.org/sqlite, blevesearch/snowballstem. Used by: agentd/memory,
// agentd/memory/meaning, cmd/bench.
// Proof: go test ./agentd/memory/recall; how well it finds: make bench
package recall
