// Package phrase says in another language what a program said in English. The English sentence is its own key: what
// crosses the link, stands in a table or is signed stays one plain sentence, of any version, and one that has no
// translation is read in English.
//
// A sentence with values in it is found by its pattern, "Line {1#}: {2}." A value stays to the letter, for it may be a
// name or a path; only where the translation says {2*} it is said in turn.
//
// Change here: how a sentence is found, and what servers say (de.json: on the signed text of a request, and besides). Not here:
// the sentences of the hub (views/i18n/said). May import: the standard library.
// Used by: agentd/gate, views/i18n. Proof: go test ./agentd/phrase
package phrase
