// Two edges, a key and a credential. `pulumi up` runs the program in edges.go; with an argument, `go run . up`, it runs
// itself, through the Automation API, which needs no language host.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	if len(os.Args) == 1 {
		pulumi.Run(declare)
		return
	}
	if err := run(context.Background(), strings.Join(os.Args[1:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, command string) error {
	name := os.Getenv("PULUMI_STACK")
	if name == "" {
		name = "dev"
	}
	stack, err := auto.UpsertStackInlineSource(ctx, name, "edges-go", declare)
	if err != nil {
		return err
	}
	switch command {
	case "up":
		_, err = stack.Up(ctx, optup.ProgressStreams(os.Stdout))
	case "preview":
		_, err = stack.Preview(ctx, optpreview.Diff(), optpreview.ProgressStreams(os.Stdout))
	case "refresh":
		_, err = stack.Refresh(ctx, optrefresh.ProgressStreams(os.Stdout))
	case "destroy":
		_, err = stack.Destroy(ctx, optdestroy.ProgressStreams(os.Stdout))
	default:
		err = fmt.Errorf("use up, preview, refresh or destroy, not %s", command)
	}
	return err
}
