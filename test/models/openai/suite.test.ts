// Goal: both adapters of OpenAI hold what every adapter has to, through the real SDK.

import { describe } from 'vitest'
import { adapterSuite } from '../suite.ts'
import { chatDriver } from './chat-driver.ts'
import { responsesDriver } from './responses-driver.ts'

describe('Responses', () => adapterSuite(responsesDriver))
describe('Chat Completions', () => adapterSuite(chatDriver))
