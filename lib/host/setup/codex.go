package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"github.com/dsh-toolkit/dsh/lib/hostconfig"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// codexTrust says what is left to do before Codex runs an entry of path. Codex runs
// a hook only after a person has trusted it, and writes that into its config.toml:
//
//	[hooks.state."PATH:user_prompt_submit:GROUP:INDEX"]
//	trusted_hash = "sha256:…"
//
// The hash is that of the entry with its members in order, as seen with 0.171.0. An
// entry of another shape than ours has another hash, and so counts as not trusted.
func codexTrust(env Env, path string, e hostconfig.Entry) string {
	const todo = "start codex and trust it when it asks, or in /hooks"
	sum := sha256.Sum256([]byte(fmt.Sprintf(
		`{"event_name":"user_prompt_submit","hooks":[{"async":false,"command":%s,"timeout":%d,"type":"command"}]}`,
		jstext.Quote(e.Command), e.Timeout)))
	var config struct {
		Hooks struct {
			State map[string]struct {
				TrustedHash string `toml:"trusted_hash"`
				Enabled     *bool  `toml:"enabled"`
			} `toml:"state"`
		} `toml:"hooks"`
	}
	data, err := os.ReadFile(filepath.Join(folder("CODEX_HOME", ".codex")(env), "config.toml"))
	if err != nil || len(data) > hostconfig.MaxSize || toml.Unmarshal(data, &config) != nil {
		return todo
	}
	state := config.Hooks.State[fmt.Sprintf("%s:user_prompt_submit:%d:%d", path, e.Group, e.Index)]
	switch {
	case state.TrustedHash != "sha256:"+hex.EncodeToString(sum[:]):
		return todo
	case state.Enabled != nil && !*state.Enabled:
		return "start codex and switch it on in /hooks"
	}
	return ""
}
