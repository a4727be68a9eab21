// Package shell is the tool shell: commands as one types them, run without any shell. What was judged is what the sandbox is
// given to run.
//
// Change here: what is measured before a command, what the model and the person hear of it. Not here: what of the shell's
// language runs (agentd/tools/shell/inside), how risky a command is (agentd/policy), how the process is confined
// (agentd/sandbox).
// May import: agentd/gate, agentd/policy, agentd/redact, agentd/sandbox, agentd/tool, agentd/tools/dataroot,
// agentd/tools/shell/inside, mvdan.cc/sh. Used by: agentd. Proof: go test ./agentd/tools/shell
package shell
