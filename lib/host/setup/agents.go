package setup

import (
	"path/filepath"
	"strings"

	opencodehost "github.com/dsh-toolkit/dsh/lib/host/opencode"
	pihost "github.com/dsh-toolkit/dsh/lib/host/pi"
	"github.com/dsh-toolkit/dsh/lib/hostconfig"
)

// All is every agent, by name.
var All = []Setup{
	{
		Agent: "claude", user: folder("CLAUDE_CONFIG_DIR", ".claude"), project: ".claude", file: "settings.json",
		hook: grouped("UserPromptSubmit"), second: 1, off: offSwitch{key: "disableAllHooks", value: "true"},
	},
	{
		Agent: "codex", user: folder("CODEX_HOME", ".codex"), project: ".codex", file: "hooks.json",
		hook: grouped("UserPromptSubmit"), second: 1, trust: codexTrust,
	},
	{
		Agent: "copilot", user: folder("COPILOT_HOME", ".copilot"), project: ".github", file: "hooks/dsh-ref.json",
		hook: &hostconfig.Hook{
			Event: "userPromptSubmitted", CommandKey: "bash", TimeoutKey: "timeoutSec", Lead: `"version":1,`,
		},
		second: 1,
	},
	{
		Agent: "gemini", user: folderIn("GEMINI_CLI_HOME", ".gemini"), project: ".gemini", file: "settings.json",
		hook: grouped("BeforeAgent"), second: 1000, dialect: hostconfig.Dialect{Comments: true}, off: offSwitch{above: "hooksConfig", key: "enabled", value: "false"},
	},
	{
		Agent: "opencode", user: folderIn("XDG_CONFIG_HOME", "opencode", ".config"), project: ".opencode",
		file: "plugin/dsh-ref.js", plugin: opencodehost.Plugin,
	},
	{
		Agent: "pi", user: piFolder, project: ".pi", file: "extensions/dsh-ref.ts", plugin: pihost.Extension,
	},
	{
		Agent: "qwen", user: folder("QWEN_HOME", ".qwen"), project: ".qwen", file: "settings.json",
		hook: grouped("UserPromptSubmit"), second: 1000, dialect: hostconfig.Dialect{Comments: true}, off: offSwitch{key: "disableAllHooks", value: "true"},
	},
}

// grouped is the entry that Claude Code introduced and others took over.
func grouped(event string) *hostconfig.Hook {
	return &hostconfig.Hook{Event: event, Grouped: true, CommandKey: "command", TimeoutKey: "timeout"}
}

// folder returns where an agent keeps its configuration: what the variable says,
// else the path below the home directory.
func folder(variable string, below ...string) func(Env) string {
	return func(env Env) string {
		if dir := env.Getenv(variable); dir != "" {
			return dir
		}
		return inHome(env, below...)
	}
}

// folderIn is folder for a variable that names the folder around that of the agent.
func folderIn(variable, name string, below ...string) func(Env) string {
	return func(env Env) string {
		if dir := env.Getenv(variable); dir != "" {
			return filepath.Join(dir, name)
		}
		return inHome(env, append(below, name)...)
	}
}

// piFolder is $PI_CODING_AGENT_DIR, in which pi knows a leading ~.
func piFolder(env Env) string {
	dir := env.Getenv("PI_CODING_AGENT_DIR")
	if rest, ok := strings.CutPrefix(dir, "~"); ok && env.Home != "" && (rest == "" || rest[0] == '/') {
		return filepath.Join(env.Home, rest)
	}
	if dir != "" {
		return dir
	}
	return inHome(env, ".pi", "agent")
}

func inHome(env Env, below ...string) string {
	if env.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{env.Home}, below...)...)
}
