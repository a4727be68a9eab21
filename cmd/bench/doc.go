// Command bench takes the figures that the project promises, on the shipped programs as processes of their own, and
// writes them as a table to the terminal and as bench.json into $GATEHOUSE_DIR.
//
// Everything that is measured runs as it does for a customer: the built hub and agentd, a private Postgres with fsync
// on, SQLite with synchronous=FULL, on a disk. Only the other ends are ours: the browser, a model that answers at once,
// and for one figure a thousand servers that speak the real protocol with real keys. Where a figure waits for durable
// writes, the same is run again with everything in memory (tmpfs), where fsync does nothing: that control must be
// faster, or the disk was not part of the figure.
//
// Some figures have a control besides: a bare program that does the same without the product, taken by turns with the
// figure. Its value and the ratio stand below the figure and in bench.json, where they hold on a busy machine too.
//
// Everything that the bench starts ends with it, also when it is killed; what is left then, the next bench deletes.
//
// Change here: how figures are taken, their goals. Not here: how the programs are built, started and stopped
// (cmd/hub/rig).
// May import: everything. Used by: nobody. Proof: go test ./cmd/bench
package main
