// Package sentence reads permissions.yaml as rows, one for each rule, and writes changed rows back into the same text.
//
// A row holds what a form holds: texts, also such as no rule may have, so that a half-written rule can travel between the
// form and the text and be put right in either. What a form cannot hold is Kept: it stays in the text as it is, and the row
// names it. Comments stay with what they are about. Text gives an error rather than a document in which anything else than
// the change has changed.
//
// Change here: how a rule becomes a row and back, what a person is told of a row. Not here: what rules mean
// (agentd/policy), forms (app/web/portal/permission), words (views/portal/permission).
// May import: agentd/policy, gopkg.in/yaml.v3. Used by: app/web/portal/permission. Proof: go test ./app/permission/sentence
package sentence
