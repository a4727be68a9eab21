package portaltest

import (
	"flag"
	"testing"

	"gatehouse/db/dbtest"
)

// Main runs the tests of a section, each with a database of its own; call it from TestMain. The tests mostly wait, for what
// a stream brings or for a server that does not answer, so more of them run at once than there are processors.
func Main(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		_ = flag.Set("test.parallel", "8") // a number always fits
	}
	dbtest.Main(m)
}
