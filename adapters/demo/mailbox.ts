// The read tool of the demo: real mail, from files in a folder. Whatever a mail says is untrusted content.

import { readdir, readFile } from 'node:fs/promises'
import PostalMime from 'postal-mime'
import { tool } from '../tool.ts'
import type { Tool } from '../../machines/tool.ts'

/** Most characters of a mail's text that the model is given. */
const TEXT_CHARACTERS = 4_000

/** @param folder holds `.eml` files; mail n is the n-th of them by name */
export function mailTools(folder: URL): readonly Tool[] {
  return [
    tool({
      name: 'list_mails',
      description:
        'List the mails of the mailbox: number, sender and subject of each. Use it first when the user speaks of a mail. It does not give their text.',
      input: { type: 'object', properties: {}, additionalProperties: false },
      replayPolicy: 'read-only',
      run: async () => ({ structuredContent: { mails: await listMails(folder) } }),
    }),
    tool({
      name: 'read_mail',
      description:
        'Read one mail of the mailbox by its number. Use it when the text of a mail is needed. Do not use it to find out which mails there are.',
      input: {
        type: 'object',
        properties: { number: { type: 'integer', minimum: 1, description: 'Number of the mail, from list_mails.' } },
        required: ['number'],
        additionalProperties: false,
      },
      replayPolicy: 'read-only',
      run: async ({ number }) => ({ structuredContent: await readMail(folder, number) }),
    }),
  ]
}

async function mailFiles(folder: URL): Promise<readonly URL[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.eml'))
  return names.sort().map(name => new URL(name, folder))
}

async function listMails(folder: URL) {
  const mails = await Promise.all((await mailFiles(folder)).map(parseMail))
  return mails.map(({ from, subject }, index) => ({ number: index + 1, from, subject }))
}

async function readMail(folder: URL, number: number) {
  const file = (await mailFiles(folder))[number - 1]
  if (file === undefined) throw new Error(`There is no mail ${number}.`)
  return { number, ...(await parseMail(file)) }
}

async function parseMail(file: URL) {
  const { from, subject, date, text } = await PostalMime.parse(await readFile(file))
  return { from: from?.address ?? '', subject: subject ?? '', date: date ?? '', text: (text ?? '').trim().slice(0, TEXT_CHARACTERS) }
}
