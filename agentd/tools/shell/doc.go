// Package shell is the tool shell: commands as one types them, run without any shell. The tree that was classified is
// walked by our own runner, in a confined process; each real command is looked at again just before it starts.
//
// Change here: what of the shell's language runs, and how. Not here: how risky a command is (agentd/policy), how the
// process is confined (agentd/sandbox).
// May import: agentd/gate, agentd/lazyre, agentd/policy, agentd/redact, agentd/sandbox, agentd/tool, agentd/tools/dataroot,
// mvdan.cc/sh. Used by: agentd, cmd/agentd. Proof: go test ./agentd/tools/shell
package shell
