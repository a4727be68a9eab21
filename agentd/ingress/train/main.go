package main

import (
	"errors"
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
	readCues(all)
	if cross {
		measure(all)
	}
	if !write {
		return nil
	}
	model := fit(all).Bytes()
	return errors.Join(os.WriteFile(dir+"/model.bin", model, 0o644), os.WriteFile(dir+"/train/model.sum", []byte(sum(all, model)), 0o644))
}
