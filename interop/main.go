// Command interop drives real agents against a model of its own and holds our programs
// to what the agents themselves do. See README.md; interop/run installs the agents,
// builds all programs and starts this one.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/dsh-toolkit/dsh/interop/drive"
	"github.com/dsh-toolkit/dsh/interop/suite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx))
}

// run gives the exit status: 0, 1 where a scenario failed, 2 for bad usage.
func run(ctx context.Context) int {
	var place drive.Place
	flag.StringVar(&place.Cache, "cache", "", "the `directory` with the agents' packages")
	flag.StringVar(&place.Bin, "bin", "", "the `directory` with our programs")
	flag.StringVar(&place.Node, "node", "", "the `directory` with node")
	only := flag.String("scenario", "", "run only these scenarios, `names` with commas")
	keep := flag.Bool("keep", false, "leave the files of every scenario")
	readme := flag.String("readme", "", "write the table into this `file`")
	packages := flag.Bool("packages", false, "print what has to be installed, and nothing else")
	flag.Parse()

	agents, err := chosen(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		return 2
	}
	if *packages {
		for _, a := range agents {
			fmt.Printf("%s-%s %s@%s\n", a.Name, a.Version, a.Package, a.Version)
		}
		return 0
	}
	options := suite.Options{Place: place, Keep: *keep, Log: os.Stderr}
	if *only != "" {
		options.Scenarios = strings.Split(*only, ",")
	}
	status := 0
	var reports []suite.Report
	for _, a := range agents {
		report := suite.Run(ctx, a, options)
		if report.Failed() {
			status = 1
		}
		reports = append(reports, report)
	}
	table := suite.Table(reports)
	fmt.Print(table)
	if *readme != "" {
		if err := suite.WriteReadme(*readme, table); err != nil {
			fmt.Fprintln(os.Stderr, "interop:", err)
			return 1
		}
	}
	return status
}

// chosen is the agents of these names, all where there is none.
func chosen(names []string) ([]*drive.Agent, error) {
	if len(names) == 0 {
		return agents, nil
	}
	var all []*drive.Agent
	for _, name := range names {
		i := slices.IndexFunc(agents, func(a *drive.Agent) bool { return a.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no agent is called %q", name)
		}
		all = append(all, agents[i])
	}
	return all, nil
}
