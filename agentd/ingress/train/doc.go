// Command train makes the model of agentd/ingress out of its texts: "go generate ./agentd/ingress", or from the top
// "go run ./agentd/ingress/train -dir agentd/ingress -write". The same texts give the same model, byte by byte.
// With -cross it measures first, by leaving out one corpus that was written apart at a time.
//
// Texts are written by hand (data/*.txt) or made by grammars (data/*.grammar); corpora of the tests that once were
// unseen are learned from too, all but those whose names begin with "unseen". Those that begin with "apart" were written
// by people who had not seen what is looked for. They weigh most: the others repeat what the finders know.
//
// model.sum tells quickly that something has changed since the model was made: it holds the sum of all texts, of what one of
// twenty of them makes, and of the model. A change of the fit that shows in none of these few is found by the soak alone,
// which makes the whole model again.
//
// Change here: texts, grammars, the fit. Not here: what a model sees of a text (agentd/ingress).
// May import: the standard library, agentd/ingress. Used by: nobody, it is a command.
// Proof: go test ./agentd/ingress/train
package main
