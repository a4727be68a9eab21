// Package labelled is a set of notes and questions to measure how well a search finds what was written down: 2,000 notes of a
// small business in German and English, and 200 questions with the notes that answer them. It was written before the search was.
// Tests and the benchmark use it; no program ships it.
//
// Change here: topics, kinds of questions. Not here: how notes are found (agentd/memory).
// May import: the standard library, gopkg.in/yaml.v3. Used by: cmd/bench. Proof: go test ./agentd/memory/labelled
package labelled
