// Package vpshosttest holds what every place where servers run has to keep to, as one test.
//
// Change here: the contract of vpshost.Host that needs no machine. Not here: what is special about one place.
// May import: app/machine, app/provider/vpshost. Used by: nobody. Proof: go test ./app/provider/vpshost/...
package vpshosttest
