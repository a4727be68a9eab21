package seeded

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // registers the flag that is set here; one that is given on the command line comes later
)

func init() {
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		return
	}
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
