// Goal: whole turns through the packages of the AI SDK send the bodies that are kept, and nothing that is not whole ever runs.

import { describe } from 'vitest'
import { sceneSuite } from '../scenes.ts'
import { anthropic, chat, responses } from './drivers.ts'

const golden = (folder: string): URL => new URL(`../golden/ai-sdk/${folder}/`, import.meta.url)

describe('@ai-sdk/anthropic', () => sceneSuite(anthropic, golden('anthropic')))
describe('@ai-sdk/openai, Responses', () => sceneSuite(responses, golden('openai')))
describe('@ai-sdk/openai, Chat Completions', () => sceneSuite(chat, golden('openai-chat')))
