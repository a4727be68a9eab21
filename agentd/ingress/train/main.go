package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	write := flag.Bool("write", false, "write the model")
	dir := flag.String("dir", ".", "the folder agentd/ingress")
	cross := flag.Bool("cross", false, "measure by leaving out one corpus that was written apart at a time")
	flag.Parse()
	if err := run(*dir, *write, *cross); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(dir string, write, cross bool) error {
	all, err := texts(dir)
	if err != nil {
		return err
	}
	if cross {
		measure(all)
	}
	if !write {
		return nil
	}
	return os.WriteFile(dir+"/model.bin", fit(all).Bytes(), 0o644)
}
