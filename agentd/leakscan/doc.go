// Package leakscan finds planted secrets wherever they should not be. It is for tests only: no program links it.
//
// It shares no code with agentd/redact, so that one mistake cannot hide behind the same mistake. It works from the
// other side, too: redact looks for the encodings of a value, leakscan decodes whatever it is given, layer by layer,
// and looks for the value.
//
// Limits: encryption, a secret retold in words, and more layers than Depth.
//
// Change here: canaries, decoders, what can be searched. Not here: taking secrets out (agentd/redact).
// May import: the standard library, golang.org/x/text. Used by: tests only.
// Proof: go test ./agentd/leakscan
package leakscan
