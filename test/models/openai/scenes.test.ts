// Goal: whole turns through OpenAI's SDK send the bodies that are kept, and nothing that is not whole ever runs.

import { describe } from 'vitest'
import { sceneSuite } from '../scenes.ts'
import { chatDriver } from './chat-driver.ts'
import { responsesDriver } from './responses-driver.ts'

describe('Responses', () => sceneSuite(responsesDriver, new URL('../golden/openai/', import.meta.url)))
describe('Chat Completions', () => sceneSuite(chatDriver, new URL('../golden/openai-chat/', import.meta.url)))
