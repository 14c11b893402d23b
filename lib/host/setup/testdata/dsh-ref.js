// Written by dsh-ref: it brings the sessions that a prompt mentions to OpenCode.
// "dsh-ref hook remove opencode" removes it.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";

const command = ["/usr/bin/dsh-ref", "hook", "opencode"];

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
      await tell(client, answer.block, prompt);
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

// tell shows the reason, which OpenCode itself only logs, and gives the text back.
async function tell(client, reason, prompt) {
  if (process.argv.includes("run")) {
    console.error(reason);
    return;
  }
  try {
    await client.tui.showToast({ body: { title: "The prompt was stopped", message: reason, variant: "error", duration: 15000 } });
    await client.tui.appendPrompt({ body: { text: prompt } });
  } catch {
    // Without a terminal program nobody can be told; the error goes into the log.
  }
}

// before is an id that sorts before another: prt_, 12 hexadecimal digits of time, and
// 14 characters of chance.
function before(id) {
  const time = /^prt_([0-9a-f]{12})/.exec(id);
  const at = time ? BigInt(`0x${time[1]}`) - 1n : 0n;
  return `prt_${at.toString(16).padStart(12, "0")}${randomBytes(7).toString("hex")}`;
}
