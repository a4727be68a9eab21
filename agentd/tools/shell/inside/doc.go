// Package inside runs a command of the tool shell in the confined process, without any shell: it walks the tree that was
// classified, and looks at each real command again just before that starts. Importing it is enough: a process that the
// sandbox starts from this program runs its command and ends before main.
//
// Change here: what of the shell's language runs, and how. Not here: how risky a command is (agentd/policy), the tool that
// starts it (agentd/tools/shell), how the process is confined (agentd/sandbox).
// May import: agentd/lazyre, agentd/policy, agentd/sandbox, mvdan.cc/sh, golang.org/x/sys; nothing that takes long to begin, for
// each command waits for it. Used by: agentd/tools/shell. Proof: go test ./agentd/tools/shell ./agentd/tools/shell/inside
package inside
