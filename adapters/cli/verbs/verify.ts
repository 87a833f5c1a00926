// `verify`: whether streams are whole: hash chain, versions without gaps, legal history, feed against store. A file offline.

import { createReadStream } from 'node:fs'
import { ToolturnError } from '../../../machines/errors.ts'
import type { VerifyResult } from '../../../machines/runtime/api.ts'
import { withConfig, type ConfigFlags } from '../config.ts'
import { EXIT } from '../exit.ts'
import { withRuntime } from '../open.ts'
import type { Output } from '../output.ts'
import { requireFile } from '../reading.ts'
import { factOf, facts, table } from '../text.ts'
import { command, verb, type Verb } from '../verb.ts'
import { withWhere, type WhereFlags } from '../where.ts'

type Flags = WhereFlags & ConfigFlags & { readonly all?: boolean }

const words = command('verify', 'Check that streams, or an exported file, are whole', 'verify january.jsonl')
  .argument('[turn or file]', 'a turn by its id, or an exported file, which is checked offline')
  .option('--all', 'every turn; of one tenant where --tenant names it')

export const verify: Verb = verb<Flags>(withConfig(withWhere(words)), async ({ words: [what], flags, out }) => {
  if ((what === undefined) !== (flags.all === true)) {
    throw new ToolturnError('option_invalid', 'Name a turn, a file, or --all.', { option: '--all' })
  }
  const result = what === undefined || isTurnId(what) ? await verifyStore(what, flags, out) : await verifyFile(what)
  out.progress('')
  await out.answer(result, () => resultText(result))
  return result.ok ? EXIT.done : EXIT.failed
})

/** Turn ids are UUIDs; a file of such a name is named by its folder. */
function isTurnId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function verifyStore(turnId: string | undefined, flags: Flags, out: Output): Promise<VerifyResult> {
  return withRuntime(flags, 'nothing', out, async ({ runtime, tenant }) => {
    out.progress('verifying')
    const everywhere = turnId === undefined && flags.tenant === undefined
    return runtime.verify(turnId, everywhere ? {} : { tenant })
  })
}

async function verifyFile(path: string): Promise<VerifyResult> {
  requireFile('file', path)
  const [{ verifyExport }, { linesOf }] = await Promise.all([
    import('../../../machines/verify-export.ts'),
    import('../../../machines/export-lines.ts'),
  ])
  return verifyExport(linesOf(createReadStream(path)))
}

function resultText({ ok, turns, events, erased, unjudged, findings }: VerifyResult): string {
  const counts = facts([
    factOf('whole', ok ? 'yes' : 'no'),
    factOf('turns', turns),
    factOf('events', events),
    factOf('erased', erased),
    factOf('not judged', unjudged),
  ])
  if (findings.length === 0) return counts
  const rows = findings.map(({ turnId, version, problem }) => [turnId, String(version), problem])
  return `${counts}\n\n${table(['TURN', 'VERSION', 'PROBLEM'], rows)}`
}
