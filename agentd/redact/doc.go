// Package redact is the one engine that everything passes on its way out of a server: to a model, a log, a receipt, a
// transcript, the hub, a channel or a mail. It takes out what is known to be secret, in whatever encoding (registry),
// what has the form of a credential, and what stands where a credential stands.
//
// A known secret becomes [SECRET:name]. Anything else becomes [REDACTED:kind], the second different value of a kind
// [REDACTED:kind#2] and so on, the same for the same value as long as the engine lives. What was replaced is left alone
// when it comes by again, and text without secrets comes out byte for byte.
//
// The layers of a scan, from the outside in:
//
//	engine.go, json.go, session.go, stream.go   whole texts, JSON, conversations, texts in pieces; settle.go joins findings
//	fields.go                                   which fields of our own frames are spared, and where
//	passes.go, marks.go                         nothing is left right beside a secret; what was replaced is left alone
//	walk.go, view.go                            a text and every view of it once something is decoded: escape*.go,
//	                                            base*.go, hex*.go, numbers.go, wide.go, utf16.go, mirror.go, unzip.go
//	registry.go, variant.go                     known secrets in a view, through sieve.go and groups.go
//	rule.go, rules_*.go                         keywords, found in one pass, with the finder of each
//	format.go, rules_prefix.go                  forms that vendors have published: an expression behind a literal
//	assign.go                                   names with a value: keyname.go says what a name promises, gap.go and
//	                                            valueend.go read the value, judge.go says whether it is one
//	told.go, worded.go, sentence.go, coded.go … sentences that say what a password is
//	rules_everyday.go                           what people answer each other, and places that values are hard to see in
//	strong.go, coined.go, glue.go, wordy.go     what a word looks like: made by chance, by people, a name, a word
//
// A finder looks only at what stands near its keyword, and never further than a fixed number of bytes: the cost of a scan
// grows with the text and no faster, whatever it holds.
//
// Change here: what is taken out and how it is marked. Not here: where secrets are kept (agentd/vault), what comes in
// from outside (agentd/ingress), what else may not leave (agentd/egress).
// May import: the standard library, golang.org/x/text. Used by: agentd, app/order, app/web/inbox, cmd/agentd, cmd/bench, cmd/hub,
// jobs/provision, app/provider/vpshost/netcup, app/provider/vpshost/setup.
// If you change a rule, also change: testdata. Proof: go test ./agentd/redact
package redact
