package surface

import (
	"fmt"
	"os"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/reference"
	"github.com/dsh-toolkit/dsh/lib/store"
)

// writeReceipt writes what was observed to the file that --receipt names. It runs
// after the session was printed: a receipt without its data would be a lie.
func writeReceipt(c *cli.Call, r *store.Reading) error {
	name := c.String("receipt")
	if !c.IsSet("receipt") {
		return nil
	}
	if err := c.Out.Flush(); err != nil {
		return fmt.Errorf("write <stdout>: %w", err)
	}
	line := append(receiptJSON(r), '\n')
	if name == "-" {
		_, err := c.Sys.Stderr.Write(line)
		return err
	}
	return os.WriteFile(name, line, 0o600)
}

func receiptJSON(reading *store.Reading) []byte {
	r := reading.Receipt
	var w jstext.Writer
	w.BeginObject()
	for _, m := range []struct{ key, text string }{
		{"sessionId", r.SessionID}, {"path", r.Path}, {"store", r.Store}, {"format", r.Format},
	} {
		w.Key(m.key)
		w.Text(m.text)
	}
	w.Key("capturedThroughSeq")
	w.OptInt(r.CapturedThroughSeq)
	w.Key("bytesRead")
	w.Int(r.BytesRead)
	w.Key("sha256")
	w.Text(r.SHA256)
	w.Key("tornTail")
	w.Bool(r.TornTail > 0)
	w.Key("damagedRecords")
	w.Int(r.DamagedRecords)
	w.Key("droppedBranches")
	w.Int(r.DroppedBranches)
	w.Key("checkpoint")
	w.Bool(r.Checkpoint)
	w.Key("snapshotsLeftOut")
	w.Int(int64(reference.SnapshotsLeftOut(reading.Surface.Events)))
	w.EndObject()
	return w.Bytes()
}
