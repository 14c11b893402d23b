package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dsh-toolkit/dsh/interop/drive"
)

// limit is the most time that one scenario gets.
const limit = 5 * time.Minute

// Options say what is run, and how.
type Options struct {
	Place     drive.Place
	Scenarios []string  // names; all where there is none
	Keep      bool      // leave the files of every scenario, not only of those that fail
	Log       io.Writer // progress, and what went wrong
}

// Result is what came of one scenario.
type Result struct {
	Scenario string
	Verdict  Verdict
	Why      string // of no way, not tried
}

// Verdict is how a scenario ended.
type Verdict string

// The verdicts.
const (
	Passed   Verdict = "ok"
	Failed   Verdict = "**failed**"
	NoWay    Verdict = "no way"
	NotTried Verdict = "not tried"
)

// Report is what came of one agent.
type Report struct {
	Agent   *drive.Agent
	Results []Result
	Reads   int // how often its files were read, and stayed as they were
}

// Failed is whether a scenario failed.
func (r Report) Failed() bool {
	return slices.ContainsFunc(r.Results, func(r Result) bool { return r.Verdict == Failed })
}

// Run puts an agent through its scenarios.
func Run(ctx context.Context, agent *drive.Agent, o Options) Report {
	report := Report{Agent: agent}
	for _, sc := range scenarios {
		if len(o.Scenarios) > 0 && !slices.Contains(o.Scenarios, sc.name) {
			continue
		}
		if ctx.Err() != nil {
			break // stopped by hand: what is left was not tried
		}
		start := time.Now()
		result := Result{Scenario: sc.name}
		switch {
		case agent.NoWay[sc.name] != "":
			result.Verdict, result.Why = NoWay, agent.NoWay[sc.name]
		case agent.NotTried[sc.name] != "":
			result.Verdict, result.Why = NotTried, agent.NotTried[sc.name]
		default:
			reads, err := try(ctx, agent, sc, o)
			report.Reads += reads
			switch {
			case errors.Is(err, errNoWay):
				result.Verdict, result.Why = NoWay, "its driver says no why"
			case ctx.Err() != nil:
				result.Verdict, result.Why = NotTried, "the run was stopped"
			case err != nil:
				result.Verdict = Failed
				fmt.Fprintf(o.Log, "%s %s: %v\n", agent.Name, sc.name, err)
			default:
				result.Verdict = Passed
			}
		}
		fmt.Fprintf(o.Log, "%s %s: %s (%.1f s)\n", agent.Name, sc.name, result.Verdict, time.Since(start).Seconds())
		report.Results = append(report.Results, result)
	}
	return report
}

// try runs one scenario in a world of its own, and says how often files were read in it.
func try(ctx context.Context, agent *drive.Agent, sc scenario, o Options) (reads int, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	w, err := drive.NewWorld(ctx, o.Place, agent, sc.hook)
	if err != nil {
		return 0, err
	}
	defer func() {
		reads = w.Reads
		if err != nil && !errors.Is(err, errNoWay) || o.Keep {
			fmt.Fprintf(o.Log, "%s %s: files are in %s\n", agent.Name, sc.name, w.Root())
			err = errors.Join(err, w.Keep(), w.Close())
			return
		}
		err = errors.Join(err, w.Close(), w.Remove())
	}()
	s, err := agent.Start(w)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return 0, sc.run(w, s)
}
