// Written by dsh-ref: it brings the sessions that a prompt mentions to OpenCode.
// "dsh-ref hook remove opencode" removes it.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";

const command = [];

// hook asks dsh-ref about a prompt. What goes wrong stops the prompt.
function hook(input) {
  return new Promise((resolve, reject) => {
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
    const out = [], err = [];
    child.stdout.on("data", (data) => out.push(data));
    child.stderr.on("data", (data) => err.push(data));
    child.stdin.on("error", () => {}); // it may end without reading all
    child.on("error", (error) => reject(new Error(`dsh-ref: cannot run ${command[0]}: ${error.message}`)));
    child.on("close", (status) => {
      const text = Buffer.concat(out).toString();
      if (status !== 0) return reject(new Error(Buffer.concat(err).toString().trim() || `dsh-ref: ended with ${status}`));
      try {
        resolve(text === "" ? {} : JSON.parse(text));
      } catch (error) {
        reject(new Error(`dsh-ref: its answer is not JSON: ${error.message}`));
      }
    });
    child.stdin.end(JSON.stringify(input));
  });
}

export const DshRef = async ({ client, directory }) => ({
  // /ref TEXT puts the mention of a session into the prompt. A command of OpenCode is
  // a prompt for the model, so it is stopped once that is done.
  config: async (config) => {
    config.command ??= {};
    config.command.ref ??= { template: "$ARGUMENTS", description: "Mention another session: /ref TEXT" };
  },
  "command.execute.before": async (input) => {
    if (input.command !== "ref") return;
    throw new Error(await pick(client, input.arguments.trim(), input.sessionID));
  },
  "chat.message": async (input, output) => {
    const own = output.parts.filter((part) => part.type === "text" && !part.synthetic);
    const prompt = own.map((part) => part.text).join("\n");
    if (!prompt.includes("dsh-session:")) return;
    let answer;
    try {
      answer = await hook({ session_id: input.sessionID, cwd: directory, prompt });
    } catch (error) {
      answer = { block: error.message };
    }
    if (answer.block !== undefined) {
      tell(client, answer.block, prompt);
      throw new Error(answer.block);
    }
    if (answer.context === undefined) return;
    // OpenCode orders parts by id, so the new one needs an id before the first.
    const first = output.parts[0];
    output.parts.unshift({
      id: before(first.id), messageID: first.messageID, sessionID: first.sessionID,
      type: "text", synthetic: true, text: answer.context,
    });
  },
});

// pick puts the mention of the newest other session that matches into the prompt, and
// says what else does.
async function pick(client, query, self) {
  const program = isAbsolute(command[0]) ? join(dirname(command[0]), "dsh-surface") : "dsh-surface";
  const words = ["--list", ...(self ? ["--self", `opencode:${self}`] : []), ...(query === "" ? [] : ["--query", query])];
  let title = "No session matches", message = query;
  try {
    const { stdout } = await promisify(execFile)(program, words, { maxBuffer: 64 << 20 });
    const rows = stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    if (rows.length > 0) {
      await client.tui.appendPrompt({ body: { text: `${rows[0].mention} ` } });
      title = rows[0].title || rows[0].sessionId;
      message = rows.length > 1 ? `Also: ${rows.slice(1, 6).map((row) => row.title || row.sessionId).join("; ")}` : "Mentioned in the prompt";
    }
  } catch (error) {
    title = "dsh-surface failed";
    message = error.message;
  }
  await client.tui.showToast({ body: { title, message, variant: "info", duration: 15000 } });
  return `dsh-ref: ${title}`;
}

// tell shows the reason, which OpenCode itself only logs, and gives the text back.
// OpenCode empties its prompt box after the hook, so that both come a little later.
function tell(client, reason, prompt) {
  if (process.argv.includes("run")) {
    console.error(reason);
    return;
  }
  setTimeout(async () => {
    try {
      await client.tui.showToast({ body: { title: "The prompt was stopped", message: reason, variant: "error", duration: 15000 } });
      await client.tui.appendPrompt({ body: { text: prompt } });
    } catch {
      // Without a terminal program nobody can be told; the error is in the log.
    }
  }, 700);
}

// before is an id that sorts before another: prt_, 12 hexadecimal digits of time, and
// 14 characters of chance.
function before(id) {
  const time = /^prt_([0-9a-f]{12})/.exec(id);
  const at = time ? BigInt(`0x${time[1]}`) - 1n : 0n;
  return `prt_${at.toString(16).padStart(12, "0")}${randomBytes(7).toString("hex")}`;
}
