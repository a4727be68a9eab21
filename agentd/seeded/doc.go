// Package seeded makes tests draw the same cases every time: a run then says whether the code changed, not whether it was
// lucky. With GATEHOUSE_SOAK set, property tests draw new cases and samples hold all cases. Importing it is enough for
// property tests. Long stories take turns: a run takes the part of them that GATEHOUSE_TURN names.
//
// Change here: which cases are drawn. Not here: how many, which each test says.
// May import: the standard library and rapid. Used by: tests only. Proof: go test ./agentd/seeded
package seeded
