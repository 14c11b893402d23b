// Written by dsh-ref: it brings the sessions that a prompt mentions to pi, and /ref
// picks one. "dsh-ref hook remove pi" removes it.
import { spawn } from "node:child_process";
import { dirname, isAbsolute, join } from "node:path";

const command = ["/usr/bin/dsh-ref", "hook", "pi"];

function run(words: string[], input: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(words[0], words.slice(1), { cwd, stdio: ["pipe", "pipe", "pipe"] });
    const out: Buffer[] = [], err: Buffer[] = [];
    child.stdout.on("data", (data) => out.push(data));
    child.stderr.on("data", (data) => err.push(data));
    child.stdin.on("error", () => {}); // it may end without reading all
    child.on("error", (error) => reject(new Error(`cannot run ${words[0]}: ${error.message}`)));
    child.on("close", (status) => {
      if (status === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(Buffer.concat(err).toString().trim() || `${words[0]} ended with ${status}`));
    });
    child.stdin.end(input);
  });
}

// ask asks dsh-ref about a prompt. What goes wrong stops the prompt.
async function ask(prompt: string, ctx: any): Promise<{ context?: string; block?: string }> {
  if (!prompt.includes("dsh-session:")) return {};
  try {
    const input = { session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, prompt };
    const text = await run(command, JSON.stringify(input), ctx.cwd);
    return text === "" ? {} : JSON.parse(text);
  } catch (error: any) {
    return { block: `dsh-ref: ${error.message}` };
  }
}

export default function (pi: any) {
  const message = (content: string) => ({ customType: "dsh-ref", content, display: false });

  // stop tells the person why, and gives the text back.
  function stop(reason: string, text: string, ctx: any) {
    if (!ctx.hasUI) {
      console.error(reason);
      process.exitCode = 1;
      return;
    }
    ctx.ui.notify(reason, "error");
    ctx.ui.setEditorText(text);
  }

  // A prompt can be stopped here and nowhere later. While the agent works, a prompt
  // steers it, and its snapshot goes ahead of it.
  let asked: { context: string } | undefined;
  pi.on("input", async (event: any, ctx: any) => {
    asked = undefined;
    const answer = await ask(event.text, ctx);
    if (answer.block !== undefined) {
      stop(answer.block, event.text, ctx);
      return { action: "handled" };
    }
    if (answer.context === undefined) return { action: "continue" };
    if (ctx.isIdle()) asked = { context: answer.context };
    else pi.sendMessage(message(answer.context), { deliverAs: "steer" });
    return { action: "continue" };
  });

  // A template or a skill may bring a mention that nobody typed: it is asked about
  // here, and where its sessions cannot be brought the run ends before the model.
  let stopped = false;
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const answer = asked ?? (await ask(event.prompt, ctx));
    asked = undefined;
    stopped = "block" in answer;
    if (stopped) stop((answer as any).block, event.prompt, ctx);
    else if (answer.context !== undefined) return { message: message(answer.context) };
  });
  pi.on("agent_start", async (_event: any, ctx: any) => {
    if (stopped) ctx.abort();
    stopped = false;
  });

  pi.registerCommand("ref", {
    description: "Mention another session in the prompt: /ref [TEXT]",
    handler: async (args: string, ctx: any) => {
      const program = isAbsolute(command[0]) ? join(dirname(command[0]), "dsh-surface") : "dsh-surface";
      const query = args.trim();
      const words = [program, "--list", ...(query === "" ? [] : ["--query", query])];
      let rows: any[];
      try {
        const list = await run(words, "", ctx.cwd);
        rows = list.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
      } catch (error: any) {
        ctx.ui.notify(`dsh-ref: ${error.message}`, "error");
        return;
      }
      if (rows.length === 0) {
        ctx.ui.notify("dsh-ref: no such session", "warning");
        return;
      }
      const labels = rows.map((row, i) => `${i + 1}. ${row.title || row.sessionId}  ${row.cwd ?? ""}`);
      const choice = await ctx.ui.select("Mention a session", labels);
      if (choice === undefined) return;
      const draft = ctx.ui.getEditorText();
      ctx.ui.setEditorText(`${draft}${draft === "" || draft.endsWith(" ") ? "" : " "}${rows[labels.indexOf(choice)].mention} `);
    },
  });
}
