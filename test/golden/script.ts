// A script file: commands, a line of dashes, and the full trace of what they did. Blank lines part the blocks; lines that begin
// with `#` are for the reader.

export type Block = { readonly remarks: readonly string[]; readonly commands: readonly string[] }

const RULE = '----'

/** The blocks of a script, without the traces that were kept with them. */
function readScript(text: string): readonly Block[] {
  return text
    .split(/\n{2,}/)
    .map(part => part.split('\n').filter(line => line !== ''))
    .map(lines => {
      const rule = lines.indexOf(RULE)
      const written = rule === -1 ? lines : lines.slice(0, rule)
      return { remarks: written.filter(line => line.startsWith('#')), commands: written.filter(line => !line.startsWith('#')) }
    })
    .filter(block => block.remarks.length + block.commands.length > 0)
}

/**
 * The script with the traces of a run.
 *
 * @param run does the commands of one block and gives the lines of their trace
 */
export async function runScript(text: string, run: (commands: readonly string[]) => Promise<readonly string[]>): Promise<string> {
  const parts: string[] = []
  for (const { remarks, commands } of readScript(text)) {
    const trace = commands.length === 0 ? [] : [RULE, ...(await run(commands))]
    parts.push([...remarks, ...commands, ...trace].join('\n'))
  }
  return `${parts.join('\n\n')}\n`
}
