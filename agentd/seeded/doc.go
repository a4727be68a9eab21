// Package seeded makes tests draw the same cases every time: a run then says whether the code changed, not whether it was
// lucky. With GATEHOUSE_SOAK set, property tests draw new cases and samples hold all cases. Importing it is enough for
// property tests.
//
// Change here: which cases are drawn. Not here: how many, which each test says.
// May import: the standard library and rapid. Used by: tests only. Proof: go test ./agentd/seeded
package seeded
