package claude_test

import "github.com/dsh-toolkit/dsh/lib/jstext"

// enqueue is what the queue is noted to have done with a message.
func enqueue(text string) string {
	return `{"type":"queue-operation","operation":"enqueue","content":` + jstext.Quote(text) + `}`
}

// mendedCases are logs in which links are wrong, or a message has left only one of its
// traces.
var mendedCases = []ruleCase{
	{
		name:  "all links in one circle",
		lines: []string{usr("u1", "a2", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "two"), ans("a2", "u2", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: two", "assistant: 2"}, notes: 1,
	},
	{
		name:  "two circles apart",
		lines: []string{usr("u1", "a1", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a2", "two"), ans("a2", "u2", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: two", "assistant: 2"}, notes: 1,
	},
	{
		name:  "a circle against the order of the file",
		lines: []string{usr("u1", "a1", "one"), ans("a1", "u2", "m1", "1"), usr("u2", "a2", "two"), ans("a2", "u1", "m2", "2"), usr("u3", "u2", "three")},
		want:  []string{"user: one", "assistant: 1", "user: two", "user: three"}, notes: 1, branch: 1,
	},
	{
		name:  "a circle made by a copy",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u1", "a1", "one")},
		want:  []string{"user: one", "assistant: 1"}, notes: 1,
	},
	{
		name:  "an entry in the middle that is its own parent",
		lines: []string{usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "u2", "two"), ans("a2", "u2", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: two", "assistant: 2"}, notes: 1,
	},
	{
		name:  "a link forward, and no circle",
		lines: []string{usr("u2", "a1", "two"), usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), ans("a2", "u2", "m2", "2")},
		want:  []string{"user: one", "assistant: 1", "user: two", "assistant: 2"},
	},
	{
		name: "a link forward, and steering that hangs on nothing",
		lines: []string{
			usr("u2", "a1", "two"), usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), absorbed("now"), ans("a2", "u2", "m2", "2"), absorbed("then"), ans("a3", "a2", "m3", "3"),
		},
		want: []string{"user: one", "assistant: 1", "user: two", "user: now", "assistant: 2", "user: then", "assistant: 3"},
	},
	{
		name: "circles that compactions preserve",
		lines: []string{
			usr("u1", "", "one"),
			sys("b1", "", "compact_boundary", `"compactMetadata":{"preservedMessages":{"anchorUuid":"s1","uuids":["u2"]}}`), usr("s1", "b1", "FIRST", isSummary), usr("u2", "s1", "two"),
			sys("b2", "", "compact_boundary", `"compactMetadata":{"preservedMessages":{"anchorUuid":"u2","uuids":["s1"]}}`),
		},
		want: []string{"summary: FIRST", "user: two"}, marks: "checkpoint", notes: 1,
	},
	{
		name: "a sidechain's circle is nobody's business",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("s1", "s2", "task", aside), ans("s2", "s1", "ms", "done", aside), usr("u2", "a1", "two"),
		},
		want: []string{"user: one", "assistant: 1", "user: two"},
	},
	{
		name: "a parent that is a sidechain's, which leads to nobody",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("s1", "", "task", aside), ans("s2", "s1", "ms", "done", aside), usr("u2", "s2", "two"),
		},
		want: []string{"user: one", "assistant: 1", "user: two"}, notes: 1,
	},
	{
		name: "local commands that print on a system line",
		lines: []string{
			usr("c", "", "<local-command-caveat>Caveat: …</local-command-caveat>", isMeta),
			usr("u1", "c", "<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>"),
			sys("o1", "u1", "local_command", `"content":"<local-command-stdout></local-command-stdout>"`),
			usr("u2", "o1", "one"), ans("a1", "u2", "m1", "1"),
			usr("u3", "a1", "<command-name>/deploy</command-name>"), sys("o2", "u3", "turn_duration"), ans("a2", "o2", "m2", "2"),
			sys("o3", "a2", "local_command", `"content":"<local-command-stderr>late</local-command-stderr>"`),
			usr("u4", "o3", "<command-name>/cost</command-name>"), sys("o4", "u4", "local_command", `"content":"<local-command-stderr>no</local-command-stderr>"`),
		},
		want: []string{"user: one", "assistant: 1", "user: /deploy", "assistant: 2"},
	},
	{
		name: "absorbed, and no attachment",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), steer("q1", "a1", "first"), absorbed("first"), ans("a2", "q1", "m2", "2"),
			enqueue("second"), absorbed("second"), ans("a3", "a2", "m3", "3"),
		},
		want: []string{"user: one", "assistant: 1", "user: first", "assistant: 2", "user: second", "assistant: 3"},
	},
	{
		name: "absorbed before its attachment, and behind it",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), absorbed("before"), result("r1", "a1"), steer("q1", "r1", "before"), ans("a2", "q1", "m2", "2"),
			steer("q2", "a2", "behind"), absorbed("behind"), ans("a3", "q2", "m3", "3"),
			absorbed("late"), ans("a4", "a3", "m4", "4"), steer("q3", "a4", "late"), ans("a5", "q3", "m5", "5"),
		},
		want: []string{
			"user: one", "assistant: 1", "user: before", "assistant: 2", "user: behind", "assistant: 3", "assistant: 4", "user: late", "assistant: 5",
		},
	},
	{
		name: "the same words absorbed three times, and two attachments",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), absorbed("go on"), ans("a2", "a1", "m2", "2"),
			steer("q1", "a2", "go on"), absorbed("go on"), ans("a3", "q1", "m3", "3"), absorbed("go on"), steer("q2", "a3", "go on"), ans("a4", "q2", "m4", "4"),
		},
		want: []string{
			"user: one", "assistant: 1", "user: go on", "assistant: 2", "user: go on", "assistant: 3", "user: go on", "assistant: 4",
		},
	},
	{
		name: "absorbed, and then sent as the next prompt",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), steer("q", "a1", "x"), absorbed("two"), absorbed("/go now"), ans("a2", "q", "m2", "2"),
			usr("u2", "a2", "<command-name>/go</command-name><command-args>now</command-args>"), ans("a3", "u2", "m3", "3"),
			absorbed("four"), usr("u3", "a3", "three"), ans("a4", "u3", "m4", "4"), usr("u4", "a4", "four"),
		},
		want: []string{
			"user: one", "assistant: 1", "user: x", "user: two", "assistant: 2", "user: /go now", "assistant: 3",
			"user: four", "user: three", "assistant: 4", "user: four",
		},
	},
	{
		name: "absorbed before a compaction and behind it",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), steer("q", "a1", "x"), absorbed("replaced"), ans("a2", "q", "m2", "2"),
			sys("b", "", "compact_boundary", `"logicalParentUuid":"a2"`), usr("s", "b", "SUMMARY", isSummary), usr("u2", "s", "two"), absorbed("kept"), ans("a3", "u2", "m3", "3"),
		},
		want: []string{"summary: SUMMARY", "user: two", "user: kept", "assistant: 3"}, marks: "checkpoint",
	},
	{
		name: "attachments that hang on nothing",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"),
			`{"type":"attachment","attachment":{"type":"queued_command","prompt":"no uuid"}}`,
			`{"type":"attachment","attachment":{"type":"queued_command","prompt":"<task-notification>x</task-notification>"}}`,
			`{"type":"attachment","attachment":{"type":"queued_command","prompt":"not a prompt","commandMode":"bash"}}`,
			ans("a2", "a1", "m2", "2"), steer("q1", "", "no parent"), ans("a3", "a2", "m3", "3"), steer("q2", "", "no parent, and one that names it"),
			ans("a4", "q2", "m4", "4"), steer("q3", "", "the last"),
		},
		want: []string{
			"user: one", "assistant: 1", "user: no uuid", "assistant: 2", "user: no parent", "assistant: 3", "user: no parent, and one that names it",
			"assistant: 4", "user: the last",
		},
	},
	{
		name: "an attachment that hangs on nothing, on a branch that was left",
		lines: []string{
			usr("u1", "", "one"), ans("a1", "u1", "m1", "1"), usr("u2", "a1", "two"), steer("q", "", "left"), ans("a2", "u2", "m2", "2"), usr("u3", "a1", "three"),
		},
		want: []string{"user: one", "assistant: 1", "user: three"}, branch: 1,
	},
}
