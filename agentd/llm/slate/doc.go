// Package slate keeps in a small file what calls to models are on their way, what each may use at most, and what has come back so
// far. It is written with each call and is not waited for on disk: what was written outlives a process that is killed, because the
// kernel has it.
//
// A machine that crashes may lose it. Therefore calls draw from blocks: of each line (who asks which model, on whose account) so
// many tokens are reserved on disk, with fsync, before the first call leaves, and more before they run short. What a call may use at
// most fits into the block of its line. After a crash of the machine, what the block had reserved beyond the calls that were found
// may have been used by calls that were lost: Open tells it as Lost. Whoever counts holds that much back of the budgets until their
// day or period ends, and charges it to nobody. After a kill on a machine that went on nothing was lost, and the block is void.
//
// The file has one page of head, then lines, then calls, all of fixed size, each with a checksum; no page holds two halves of one.
//
// Change here: the file's form, how large blocks are. Not here: what a call counts as (agentd/llm/meter), what budgets allow
// (agentd/llm/budget).
// May import: nothing of ours. Used by: agentd/llm/meter, agentd/llm/proxy, cmd/bench. Proof: go test ./agentd/llm/slate ./agentd/llm/meter
package slate
