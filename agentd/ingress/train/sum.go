package main

import (
	"crypto/sha256"
	"fmt"
)

// relearned is which share of the texts a sum learns: one of so many.
const relearned = 20

// sum is the content of model.sum: sums of all texts, of the model that a few of them make, and of the whole model.
func sum(all []text, model []byte) string {
	h := sha256.New()
	var few []text
	for i, t := range all {
		fmt.Fprintf(h, "%q %t %v %q\n", t.text, t.attack, t.cost, t.from)
		if i%relearned == 0 {
			few = append(few, text{text: t.text, attack: t.attack, cost: t.cost})
		}
	}
	readCues(few)
	return fmt.Sprintf("texts %x\nfew   %x\nmodel %x\n", h.Sum(nil), sha256.Sum256(fit(few).Bytes()), sha256.Sum256(model))
}
