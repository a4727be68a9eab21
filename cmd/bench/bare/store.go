package bare

import (
	"context"
	"fmt"
	"os"
	"time"

	"gatehouse/agentd/store"
)

// Dir names the variable that tells the store's program its folder.
const Dir = "GATEHOUSE_BENCH_DIR"

// openStore opens agentd's store, which makes its tables the first time, says so and keeps it open.
func openStore(ctx context.Context) error {
	db, err := store.Open(os.Getenv(Dir), time.Now)
	if err != nil {
		return err
	}
	fmt.Println("open")
	<-ctx.Done()
	return db.Close()
}
