// Package policy says how risky a call is and whether it may run: classification, autonomy, the external gate, the
// owner's rules, taint. It is pure: rules and a call in, a verdict and its reason out, so the hub can use it to
// explain and preview.
//
// # Classification
//
// Classify looks a tool up by name, reads its arguments strictly and judges what they would do; what it does not know
// or cannot read is forbidden. The judgement is made of tables that ship with the program. The owner's Tiers lift
// a tool or an action to a stricter tier; nothing makes one looser.
//
//	tool                          table                        where
//	shell                         programs and their words     see below
//	docker, and docker in shell   subcommands and flags        dockertable.go, dockeropen.go
//	sql_query, psql -c and so on  statements, functions        sqlchange.go, sqlread.go; other engines sqlother.go
//	http_request                  methods and paths by tool    table/http.txt (format in httptable.go); remote calls httprpc.go
//	file_…, env_…                 protected names              protected.go, envfile.go
//	browser, web_…                actions; hosts               browser.go, destination.go
//	names of actions              tiers                        table/actions.txt
//
// A destination is named by the registry (Env.Tools) or the owner (Env.Hosts). Env.ByName stands in for a registry where
// there is none: a host whose first label is a name of the tool counts as the tool's.
//
// Two calls read what may hold secrets and stay green, because what they print passes the redactor like every result:
// docker inspect and systemctl show, each as a whole. Asking either for the settings by name is red, and so are env,
// printenv and docker compose config; /proc/*/environ and files of secrets are forbidden.
//
// # Commands of the shell
//
// A command is read once (shell.go) and judged in two steps. The first goes through the whole text and notes what gives
// each variable its values (shellscope.go, shellcollect….go). The second judges every command that stands in it, for each
// choice of what its variables hold, and keeps the worst (shelljudge.go). Of a text that is not known before it runs, its
// origin is: whether the command could have made a path or a flag of it (shellorigin….go, shellfields.go; shellprint….go for
// what programs print). The runner calls Argv for each real command, when all is known.
//
//	what stands in a text         shelltree.go, shellcompound.go, shellredirect.go, shellcall.go; words shellword.go,
//	                              shellspelled.go, shellparam.go, shellarray.go, shellassign.go; its own commands shellbuiltin.go
//	programs of one table         shelltable….go by subject, read by shellgrammar….go, shellflag.go, shelloperand.go
//	reading calls of the rest     shellread….go by subject, shellgit.go; versions shellversion.go
//	programs with own rules       shellspecial.go names them; find, awk, sed (shellscript.go), tar, date and so on have files
//	programs that start others    shellwrap.go, shellxargs.go, shellfind.go; held to reading by the runner's flags shellhold.go
//	never, and worse than red     shellnever.go; what no table knows shellunknown.go
//	paths                         shellpath.go, protected.go, keptfile.go
//
// Change here: tiers, what arguments of a tool would do, the decision table, permissions.yaml. Not here: counting,
// approvals, permits, receipts (agentd/gate), measuring (agentd/tools/…).
// May import: agentd/lazyre, agentd/policy/strict, the standard library, gopkg.in/yaml.v3, mvdan.cc/sh, golang.org/x/text
// and x/net/idna. Used by: agentd, app/permission/sentence, app/web/inbox,
// app/web/portal, cmd/agentd, cmd/bench.
// If you change a tier, also change: docs/ARCHITECTURE.md, SECURITY.md. Proof: go test ./agentd/policy
package policy
