// Package seeded makes property tests draw the same cases every time: a run then says whether the code changed, not whether
// it was lucky. With GATEHOUSE_SOAK set they draw anew. A test imports it for its effect.
//
// Change here: what is drawn when. Not here: how much, which each package says in its TestMain.
// May import: the standard library and rapid. Used by: tests only. Proof: go test ./agentd/seeded
package seeded
